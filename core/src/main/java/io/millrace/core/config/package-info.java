/**
 * Configuration: an immutable map of strings ({@link io.millrace.core.config.Configuration}) read
 * through typed declarations ({@link io.millrace.core.config.Option}). {@link
 * io.millrace.core.config.Options} lists all options of the engine, its own and those of the other
 * classes whose names end so, each with its range, its default and a sentence; the option reference
 * is generated from there. Keys are Flink's where the meaning is the same. {@link
 * io.millrace.core.config.ConfigurationCheck} tells options from other keys, and {@link
 * io.millrace.core.config.SensitiveValues} keeps secrets out of logs.
 */
package io.millrace.core.config;
