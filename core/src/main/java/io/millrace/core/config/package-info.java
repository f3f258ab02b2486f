/**
 * Configuration: an immutable map of strings ({@link io.millrace.core.config.Configuration}), read
 * through typed declarations ({@link io.millrace.core.config.Option}). Each class named {@code
 * *Options} declares the options of one area, with range, default and description. {@link
 * io.millrace.core.config.DeclaredOptions} collects them, and the option reference is generated
 * from it. Keys are Flink's if the meaning is the same. {@link
 * io.millrace.core.config.ConfigurationCheck} detects undeclared keys, and {@link
 * io.millrace.core.config.SensitiveValues} keeps secrets out of logs.
 */
package io.millrace.core.config;
