#include "arrow.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

namespace otss::python {
namespace {

// The three structs of the interface, as its specification declares them.
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

// Calls the struct's own release function once.
template <class Struct>
class Released {
 public:
  Released() = default;
  ~Released() {
    if (value.release != nullptr) value.release(&value);
  }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  Struct value{};
};

using Batch = Released<ArrowArray>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// The consecutive batches of a stream.
struct ArrowBatches {
  Released<ArrowSchema> schema;
  std::vector<std::unique_ptr<Batch>> batches;
  std::vector<std::size_t> first_rows;  // the number of the first row of each batch
  std::size_t num_rows = 0;

  ~ArrowBatches() {
    // The release functions may belong to Python objects.
    const py::gil_scoped_acquire gil;
    batches.clear();
  }

  // Calls visit(column, row in the array, number of rows, position) for each batch that has some of
  // the rows [first, first + count). `position` counts from 0 within the rows that are asked for.
  template <class Visit>
  void each(std::size_t column, std::size_t first, std::size_t count, const Visit& visit) const {
    std::size_t done = 0;
    std::size_t b =
        static_cast<std::size_t>(std::upper_bound(first_rows.begin(), first_rows.end(), first) -
                                 first_rows.begin()) -
        1;
    while (done < count) {
      const ArrowArray& batch = batches[b]->value;
      const std::size_t begin = first + done - first_rows[b];
      const std::size_t rows =
          std::min(count - done, static_cast<std::size_t>(batch.length) - begin);
      if (rows > 0) {
        const ArrowArray& array = *batch.children[column];
        visit(array, begin + static_cast<std::size_t>(batch.offset + array.offset), rows, done);
      }
      done += rows;
      ++b;
    }
  }
};

namespace {

bool is_present(const ArrowArray& array, std::size_t row) {
  const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  return bits == nullptr || ((bits[row / 8] >> (row % 8)) & 1U) != 0;
}

template <class Value>
const Value* buffer(const ArrowArray& array, int index) {
  return static_cast<const Value*>(array.buffers[index]);
}

using NumberAt = double (*)(const ArrowArray&, std::size_t);

template <class Number>
double number_at(const ArrowArray& array, std::size_t row) {
  return static_cast<double>(buffer<Number>(array, 1)[row]);
}

double boolean_at(const ArrowArray& array, std::size_t row) {
  return (buffer<std::uint8_t>(array, 1)[row / 8] >> (row % 8)) & 1U;
}

double null_at(const ArrowArray&, std::size_t) { return kNaN; }

// Returns the reader of a number type; null if the format is not a number.
NumberAt number_reader(std::string_view format) {
  if (format.size() != 1) return nullptr;
  switch (format.front()) {
    case 'n': return null_at;
    case 'b': return boolean_at;
    case 'c': return number_at<std::int8_t>;
    case 'C': return number_at<std::uint8_t>;
    case 's': return number_at<std::int16_t>;
    case 'S': return number_at<std::uint16_t>;
    case 'i': return number_at<std::int32_t>;
    case 'I': return number_at<std::uint32_t>;
    case 'l': return number_at<std::int64_t>;
    case 'L': return number_at<std::uint64_t>;
    case 'f': return number_at<float>;
    case 'g': return number_at<double>;
    default: return nullptr;
  }
}

// A date or a time: how it is stored, and how many units make a second.
struct TimeFormat {
  NumberAt read;
  double units_per_second;
};

std::optional<TimeFormat> time_format(std::string_view format) {
  if (format == "tdD") return TimeFormat{number_at<std::int32_t>, 1.0 / 86400};
  if (format == "tdm") return TimeFormat{number_at<std::int64_t>, 1e3};
  if (!format.starts_with("ts") || format.size() < 3) return std::nullopt;
  switch (format[2]) {
    case 's': return TimeFormat{number_at<std::int64_t>, 1};
    case 'm': return TimeFormat{number_at<std::int64_t>, 1e3};
    case 'u': return TimeFormat{number_at<std::int64_t>, 1e6};
    case 'n': return TimeFormat{number_at<std::int64_t>, 1e9};
    default: return std::nullopt;
  }
}

using TextAt = std::string_view (*)(const ArrowArray&, std::size_t);

template <class Offset>
std::string_view text_at(const ArrowArray& array, std::size_t row) {
  const Offset* ends = buffer<Offset>(array, 1);
  const char* bytes = buffer<char>(array, 2);
  // An empty text must not look like a missing one.
  if (ends[row] == ends[row + 1]) return std::string_view("");
  return {bytes + ends[row], static_cast<std::size_t>(ends[row + 1] - ends[row])};
}

// A text of the type "view": short texts are stored in place, others in one of several buffers.
std::string_view viewed_text_at(const ArrowArray& array, std::size_t row) {
  constexpr std::size_t kViewSize = 16, kMostInPlace = 12;
  const char* view = buffer<char>(array, 1) + kViewSize * row;
  std::int32_t size = 0, index = 0, offset = 0;
  std::memcpy(&size, view, sizeof size);
  if (static_cast<std::size_t>(size) <= kMostInPlace)
    return {view + sizeof size, static_cast<std::size_t>(size)};
  std::memcpy(&index, view + 8, sizeof index);
  std::memcpy(&offset, view + 12, sizeof offset);
  return {buffer<char>(array, 2 + index) + offset, static_cast<std::size_t>(size)};
}

TextAt text_reader(std::string_view format) {
  if (format == "u") return text_at<std::int32_t>;
  if (format == "U") return text_at<std::int64_t>;
  if (format == "vu") return viewed_text_at;
  return nullptr;
}

std::string kind_of(const ArrowSchema& column) {
  if (column.dictionary != nullptr)
    return text_reader(column.dictionary->format) != nullptr ? "text" : column.dictionary->format;
  if (number_reader(column.format) != nullptr) return "number";
  if (text_reader(column.format) != nullptr) return "text";
  return time_format(column.format) ? "time" : column.format;
}

using SharedBatches = std::shared_ptr<const ArrowBatches>;

void read_numbers(const SharedBatches& table, std::size_t column, NumberAt read, double units,
                  MemoryColumn& into) {
  into.numbers = [table, column, read, units](std::size_t first, std::span<double> values) {
    table->each(column, first, values.size(),
                [&](const ArrowArray& array, std::size_t row, std::size_t rows, std::size_t at) {
                  for (std::size_t i = 0; i < rows; ++i) {
                    values[at + i] =
                        is_present(array, row + i) ? read(array, row + i) / units : kNaN;
                  }
                });
  };
}

void read_texts(const SharedBatches& table, std::size_t column, TextAt read, MemoryColumn& into) {
  into.texts = [table, column, read](std::size_t first, std::span<std::string_view> values) {
    table->each(column, first, values.size(),
                [&](const ArrowArray& array, std::size_t row, std::size_t rows, std::size_t at) {
                  for (std::size_t i = 0; i < rows; ++i) {
                    values[at + i] =
                        is_present(array, row + i) ? read(array, row + i) : std::string_view();
                  }
                });
  };
}

void read_dictionary(const SharedBatches& table, std::size_t column, NumberAt code, TextAt read,
                     MemoryColumn& into) {
  into.texts = [table, column, code, read](std::size_t first, std::span<std::string_view> values) {
    table->each(column, first, values.size(),
                [&](const ArrowArray& array, std::size_t row, std::size_t rows, std::size_t at) {
                  const ArrowArray& texts = *array.dictionary;
                  for (std::size_t i = 0; i < rows; ++i) {
                    values[at + i] = {};
                    if (!is_present(array, row + i)) continue;
                    const std::size_t entry = static_cast<std::size_t>(code(array, row + i)) +
                                              static_cast<std::size_t>(texts.offset);
                    if (is_present(texts, entry)) values[at + i] = read(texts, entry);
                  }
                });
  };
}

SharedBatches read_stream(ArrowArrayStream& stream) {
  auto table = std::make_shared<ArrowBatches>();
  const auto check = [&](int code) {
    if (code == 0) return;
    const char* reason = stream.get_last_error(&stream);
    throw Error(ErrorCode::kInput, std::string("the Arrow table cannot be read: ") +
                                       (reason != nullptr ? reason : "its stream failed"));
  };
  check(stream.get_schema(&stream, &table->schema.value));
  while (true) {
    auto batch = std::make_unique<Batch>();
    check(stream.get_next(&stream, &batch->value));
    if (batch->value.release == nullptr) break;
    table->first_rows.push_back(table->num_rows);
    table->num_rows += static_cast<std::size_t>(batch->value.length);
    table->batches.push_back(std::move(batch));
  }
  return table;
}

std::size_t position_of(const ArrowSchema& schema, const std::string& name) {
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    if (name == schema.children[i]->name) return static_cast<std::size_t>(i);
  }
  throw Error(ErrorCode::kInput, "the table has no column '" + name + "'");
}

MemoryColumn column_of(const SharedBatches& table, std::size_t position) {
  const ArrowSchema& schema = *table->schema.value.children[position];
  MemoryColumn column{.name = schema.name};
  if (schema.dictionary != nullptr) {
    const TextAt read = text_reader(schema.dictionary->format);
    if (read != nullptr) {
      read_dictionary(table, position, number_reader(schema.format), read, column);
      return column;
    }
  } else if (const TextAt read = text_reader(schema.format); read != nullptr) {
    read_texts(table, position, read, column);
    return column;
  } else if (const NumberAt number = number_reader(schema.format); number != nullptr) {
    read_numbers(table, position, number, 1, column);
    return column;
  } else if (const auto time = time_format(schema.format); time) {
    read_numbers(table, position, time->read, time->units_per_second, column);
    return column;
  }
  throw Error(ErrorCode::kInput, "column '" + column.name + "' has the Arrow type '" +
                                     kind_of(schema) +
                                     "', which cannot be a context or a factor; convert it to "
                                     "numbers or to text");
}

}  // namespace

ArrowTable::ArrowTable(const py::capsule& capsule) {
  auto* given =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (given == nullptr) throw py::error_already_set();
  // The stream moves out of the capsule, whose destructor then does nothing.
  Released<ArrowArrayStream> stream;
  stream.value = *given;
  given->release = nullptr;
  batches_ = read_stream(stream.value);
}

std::size_t ArrowTable::num_rows() const { return batches_->num_rows; }

std::vector<std::pair<std::string, std::string>> ArrowTable::columns() const {
  const ArrowSchema& schema = batches_->schema.value;
  std::vector<std::pair<std::string, std::string>> columns;
  for (std::int64_t i = 0; i < schema.n_children; ++i)
    columns.emplace_back(schema.children[i]->name, kind_of(*schema.children[i]));
  return columns;
}

void ArrowTable::add_to(PythonTable& table, const std::string& column) const {
  table.add(column_of(batches_, position_of(batches_->schema.value, column)), num_rows());
}

py::object ArrowTable::values(const std::string& name) const {
  const MemoryColumn column = column_of(batches_, position_of(batches_->schema.value, name));
  if (column.numbers) {
    py::array_t<double> numbers(static_cast<py::ssize_t>(num_rows()));
    column.numbers(0, {numbers.mutable_data(), num_rows()});
    return numbers;
  }
  std::vector<std::string_view> texts(num_rows());
  column.texts(0, texts);
  py::list list;
  for (const std::string_view text : texts) {
    if (text.data() == nullptr) {
      list.append(py::none());
    } else {
      list.append(py::str(text.data(), text.size()));
    }
  }
  return list;
}

void bind_arrow(py::module_& module) {
  py::class_<ArrowTable>(module, "ArrowTable")
      .def(py::init<const py::capsule&>(), py::arg("stream"))
      .def_property_readonly("num_rows", &ArrowTable::num_rows)
      .def_property_readonly("columns", &ArrowTable::columns)
      .def("values", &ArrowTable::values, py::arg("column"))
      .def("add_to", &ArrowTable::add_to, py::arg("table"), py::arg("column"));
}

}  // namespace otss::python
