package io.millrace.rest;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a file that a client wants: the {@code Range} header of HTTP with one range, or the
 * query parameters {@code start} and {@code size}, or {@code tail}.
 *
 * @param start the first byte; empty for the last {@code length} bytes
 * @param length the maximum number of bytes; empty for all from the start on
 * @param byHeader whether the header asks for it, so that the status says that it is a part
 */
record ByteRange(Optional<Long> start, Optional<Long> length, boolean byHeader) {
  static final ByteRange ALL = new ByteRange(Optional.of(0L), Optional.empty(), false);

  private static final Pattern HEADER = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

  /** Bytes of a file. */
  record Extent(long start, long end) {
    long length() {
      return end - start;
    }
  }

  static ByteRange of(RestRequest call) {
    Optional<String> tail = call.query("tail");
    Optional<String> start = call.query("start");
    Optional<String> size = call.query("size");
    if (tail.isPresent()) {
      if (start.isPresent() || size.isPresent()) {
        throw new RestError(400, "Give tail, or start and size, not both.");
      }
      return new ByteRange(Optional.empty(), Optional.of(call.number("tail", 0)), false);
    }
    if (start.isPresent() || size.isPresent()) {
      return new ByteRange(
          Optional.of(call.number("start", 0)), size.map(given -> call.number("size", 0)), false);
    }
    return ofHeader(call.header("Range"));
  }

  /** A header with several ranges, or one of another form, means the whole file: RFC 9110. */
  static ByteRange ofHeader(String header) {
    Matcher range = HEADER.matcher(header);
    if (!range.matches() || range.group(1).isEmpty() && range.group(2).isEmpty()) {
      return ALL;
    }
    if (range.group(1).isEmpty()) {
      return new ByteRange(Optional.empty(), Optional.of(Long.parseLong(range.group(2))), true);
    }
    long first = Long.parseLong(range.group(1));
    if (range.group(2).isEmpty()) {
      return new ByteRange(Optional.of(first), Optional.empty(), true);
    }
    long last = Long.parseLong(range.group(2));
    return last < first
        ? ALL
        : new ByteRange(Optional.of(first), Optional.of(last - first + 1), true);
  }

  /** The bytes of a file of this size; empty if the file has none of those that were asked for. */
  Optional<Extent> within(long size) {
    if (start.isEmpty()) {
      long wanted = Math.min(size, length.orElseThrow());
      return byHeader && wanted == 0
          ? Optional.empty()
          : Optional.of(new Extent(size - wanted, size));
    }
    long first = start.get();
    if (first >= size) {
      return byHeader ? Optional.empty() : Optional.of(new Extent(size, size));
    }
    long wanted = Math.min(size - first, length.orElse(size));
    return Optional.of(new Extent(first, first + wanted));
  }
}
