package io.millrace.rest;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** What this build calls itself. */
record Build(String version, String commit, String time) {

  static Build read() {
    Properties properties = new Properties();
    try (InputStream in = Build.class.getResourceAsStream("build.properties")) {
      if (in == null) {
        throw new IllegalStateException("This build lacks io/millrace/rest/build.properties");
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Build(
        properties.getProperty("version"),
        properties.getProperty("commit"),
        properties.getProperty("built"));
  }
}
