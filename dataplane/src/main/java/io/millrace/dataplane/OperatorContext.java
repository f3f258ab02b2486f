package io.millrace.dataplane;

import java.util.Optional;

/** The name of an operator and the task that records its failures. */
record OperatorContext(Task task, String operator) {
  Error failed(Throwable thrown) {
    throw task.failed(operator, thrown);
  }

  /** The user's code failed on a record. */
  Error failed(Throwable thrown, Object record) {
    throw failed(thrown, FailureContext.onRecord(record));
  }

  /** The user's code failed when it was called for this. */
  Error failed(Throwable thrown, Optional<FailureContext.Trigger> during) {
    throw task.failed(operator, thrown, during);
  }
}
