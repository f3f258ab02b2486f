package com.example;

/** Ends its process as if all were well, without having run a job. */
public final class ExitsAtOnce {
  private ExitsAtOnce() {}

  public static void main(String[] args) {
    System.exit(0);
  }
}
