/**
 * Configuration: an immutable map of strings ({@link io.millrace.core.config.Configuration}) read
 * through typed declarations ({@link io.millrace.core.config.Option}). The classes whose names end
 * in {@code Options} declare the options of one area each, with range, default and a sentence;
 * {@link io.millrace.core.config.DeclaredOptions} collects them, and the option reference is
 * generated from there. Keys are Flink's where the meaning is the same. {@link
 * io.millrace.core.config.ConfigurationCheck} tells options from other keys, and {@link
 * io.millrace.core.config.SensitiveValues} keeps secrets out of logs.
 */
package io.millrace.core.config;
