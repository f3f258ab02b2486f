package io.millrace.core.config;

import java.util.List;
import java.util.Map;

/**
 * Declares the options of a plugin. {@link java.util.ServiceLoader} finds it, so that a plugin adds
 * options without a change of the core. A provider has a public constructor without arguments that
 * loads no library of the plugin.
 */
public interface OptionProvider {
  /** The options, in the order of the reference page. */
  List<Option<?>> options();

  /**
   * Options of Flink about the plugin's subject that have no effect here: keys, or beginnings of
   * keys with a star, each with the reason.
   */
  default Map<String, String> unsupported() {
    return Map.of();
  }
}
