package io.millrace.rest;

/** What a client of REST may do. */
enum AccessRole {
  /** Requests that change nothing. */
  READER,
  /** All requests. */
  OPERATOR;

  boolean allows(String method) {
    return this == OPERATOR
        || method.equals("GET")
        || method.equals("HEAD")
        || method.equals("OPTIONS");
  }
}
