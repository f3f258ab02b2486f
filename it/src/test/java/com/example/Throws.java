package com.example;

/** Without arguments, throws in main, before there is a job. */
public final class Throws {
  private Throws() {}

  public static void main(String[] args) {
    if (args.length == 0) {
      throw new IllegalArgumentException("the river is dry");
    }
  }
}
