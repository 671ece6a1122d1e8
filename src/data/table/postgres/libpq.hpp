// This header gives the functions of libpq, the client library of PostgreSQL.
#pragma once

#include <libpq-fe.h>

namespace otss::internal::postgres {

// The functions of libpq that otss uses, under their own names. The program does not link libpq,
// because libpq needs 20 other libraries, and loading them would slow down every start. The library
// is loaded when a database is used for the first time.
struct Libpq {
#define OTSS_LIBPQ_FUNCTIONS(USE) \
  USE(PQconninfoParse)            \
  USE(PQconninfoFree)             \
  USE(PQfreemem)                  \
  USE(PQconnectStartParams)       \
  USE(PQconnectPoll)              \
  USE(PQstatus)                   \
  USE(PQerrorMessage)             \
  USE(PQfinish)                   \
  USE(PQsocket)                   \
  USE(PQsetnonblocking)           \
  USE(PQflush)                    \
  USE(PQsetNoticeProcessor)       \
  USE(PQsendQueryParams)          \
  USE(PQsendPrepare)              \
  USE(PQsendDescribePrepared)     \
  USE(PQconsumeInput)             \
  USE(PQisBusy)                   \
  USE(PQgetResult)                \
  USE(PQresultStatus)             \
  USE(PQresultErrorField)         \
  USE(PQclear)                    \
  USE(PQntuples)                  \
  USE(PQnfields)                  \
  USE(PQfname)                    \
  USE(PQftype)                    \
  USE(PQfmod)                     \
  USE(PQgetisnull)                \
  USE(PQgetvalue)                 \
  USE(PQgetCopyData)              \
  USE(PQputCopyData)              \
  USE(PQputCopyEnd)               \
  USE(PQgetCancel)                \
  USE(PQcancel)                   \
  USE(PQfreeCancel)
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declared name cannot stand in parentheses
#define OTSS_LIBPQ_MEMBER(NAME) decltype(&::NAME) NAME = nullptr;
  OTSS_LIBPQ_FUNCTIONS(OTSS_LIBPQ_MEMBER)
#undef OTSS_LIBPQ_MEMBER
};

// Returns the functions. Loads the library in the first call. Throws an Error that says what to
// install if the library is not there.
const Libpq& libpq();

}  // namespace otss::internal::postgres
