package io.millrace.api;

import java.io.Serializable;

/**
 * Names a side output of an operator. Two tags of the same id mean the same output.
 *
 * @param <T> its records
 */
@SuppressWarnings("UnusedTypeParameter") // It types the records.
public record OutputTag<T>(String id) implements Serializable {
  public OutputTag {
    ArgumentChecks.text("side output's id", id);
  }
}
