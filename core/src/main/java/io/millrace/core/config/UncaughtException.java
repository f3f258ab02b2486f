package io.millrace.core.config;

/** How a process reacts to an exception that ends one of its threads. */
public enum UncaughtException {
  LOG,
  FAIL
}
