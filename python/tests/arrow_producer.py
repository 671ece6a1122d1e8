"""A table that exports Arrow's C stream, made with ctypes alone: no Arrow library is needed to test what otss reads.

Every struct counts how often it is released, because each must be released exactly once.
"""
import ctypes
from ctypes import POINTER, CFUNCTYPE, byref, c_char_p, c_int, c_int64, c_void_p

import numpy as np

ALIVE = []   # what the structs point to
RELEASED = []  # the names of released structs


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


RELEASE_SCHEMA, RELEASE_ARRAY, RELEASE_STREAM = CFUNCTYPE(None, POINTER(Schema)), CFUNCTYPE(None, POINTER(Array)), CFUNCTYPE(None, POINTER(Stream))
Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
                   ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)), ("release", RELEASE_SCHEMA), ("private", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
                  ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))), ("dictionary", POINTER(Array)),
                  ("release", RELEASE_ARRAY), ("private", c_void_p)]
GET_SCHEMA, GET_NEXT = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema)), CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
LAST_ERROR = CFUNCTYPE(c_char_p, POINTER(Stream))
Stream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", LAST_ERROR), ("release", RELEASE_STREAM),
                   ("private", c_void_p)]


def keep(value):
    ALIVE.append(value)
    return value


def released(kind, name, function):
    def release(pointer):
        RELEASED.append(name)
        pointer.contents.release = kind(0)
    return keep(function(release))


def bits(present):
    return np.packbits(np.asarray(present, dtype=bool), bitorder="little")


def texts_as_buffers(texts, offset_type):
    encoded = [b"" if text is None else text.encode() for text in texts]
    ends = np.cumsum([0] + [len(one) for one in encoded]).astype(offset_type)
    return [ends, np.frombuffer(b"".join(encoded) + b" ", dtype=np.uint8)]


def views_as_buffers(texts):
    """Texts of the type "view": 16 bytes each; texts of more than 12 bytes lie in a buffer of their own."""
    long = b""
    views = []
    for text in texts:
        one = (text or "").encode()
        if len(one) <= 12:
            views.append(len(one).to_bytes(4, "little") + one.ljust(12, b"\0"))
        else:
            views.append(len(one).to_bytes(4, "little") + one[:4] + (0).to_bytes(4, "little") + len(long).to_bytes(4, "little"))
            long += one
    return [np.frombuffer(b"".join(views), dtype=np.uint8), np.frombuffer(long + b" ", dtype=np.uint8), np.array([len(long)])]


class Column:
    """One column: an Arrow format, its values (None is missing) and, for a dictionary, its texts."""

    def __init__(self, format, values, dictionary=None, offset=0):
        self.format, self.values, self.dictionary, self.offset = format, list(values), dictionary, offset

    def schema(self, name):
        schema = keep(Schema(format=self.format.encode(), name=name.encode(), release=RELEASE_SCHEMA(0)))
        if self.dictionary is not None:
            schema.dictionary = ctypes.pointer(keep(Schema(format=b"u", name=b"", release=RELEASE_SCHEMA(0))))
        return schema

    def buffers(self, values):
        types = {"c": np.int8, "i": np.int32, "l": np.int64, "f": np.float32, "g": np.float64, "tdD": np.int32, "tsu:": np.int64}
        if self.format in types:
            return [np.array([0 if value is None else value for value in values], dtype=types[self.format])]
        if self.format == "b":
            return [bits([bool(value) for value in values])]
        if self.format == "vu":
            return views_as_buffers(values)
        return texts_as_buffers(values, np.int32 if self.format == "u" else np.int64)

    def array(self, first, count):
        # The rows before `offset` are there, but do not belong to the column.
        values = self.values[:self.offset] + self.values[first:first + count]
        present = [value is not None for value in values]
        array = make_array(count, [bits(present), *self.buffers(values)], self.offset)
        if self.dictionary is not None:
            texts = make_array(len(self.dictionary), [None, *texts_as_buffers(self.dictionary, np.int32)], 0)
            array.dictionary = ctypes.pointer(texts)
        return array


def make_array(length, buffers, offset):
    pointers = (c_void_p * len(buffers))(*[None if one is None else keep(np.ascontiguousarray(one)).ctypes.data for one in buffers])
    return keep(Array(length=length, null_count=-1, offset=offset, n_buffers=len(buffers), buffers=keep(pointers), release=RELEASE_ARRAY(0)))


class Table:
    """A table of named Columns, exported in batches of the given numbers of rows."""

    def __init__(self, columns, batches):
        self.columns, self.batches, self.next = columns, batches, 0

    def get_schema(self, _, out):
        children = [ctypes.pointer(column.schema(name)) for name, column in self.columns.items()]
        made = Schema(format=b"+s", name=b"", n_children=len(children), children=keep((POINTER(Schema) * len(children))(*children)),
                      release=released(RELEASE_SCHEMA, "schema", RELEASE_SCHEMA))
        ctypes.memmove(out, byref(keep(made)), ctypes.sizeof(made))
        return 0

    def get_next(self, _, out):
        if self.next == len(self.batches):
            out.contents.release = RELEASE_ARRAY(0)
            return 0
        first, count = sum(self.batches[:self.next]), self.batches[self.next]
        self.next += 1
        children = [ctypes.pointer(column.array(first, count)) for column in self.columns.values()]
        made = Array(length=count, n_buffers=1, buffers=keep((c_void_p * 1)(None)), n_children=len(children),
                     children=keep((POINTER(Array) * len(children))(*children)), release=released(RELEASE_ARRAY, "batch", RELEASE_ARRAY))
        ctypes.memmove(out, byref(keep(made)), ctypes.sizeof(made))
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.next = 0
        stream = keep(Stream(get_schema=keep(GET_SCHEMA(self.get_schema)), get_next=keep(GET_NEXT(self.get_next)),
                             get_last_error=keep(LAST_ERROR(lambda _: None)), release=released(RELEASE_STREAM, "stream", RELEASE_STREAM)))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)
