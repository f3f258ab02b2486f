/**
 * What was added to the engine without being built with it. {@link io.millrace.core.plugin.Plugins}
 * loads each plugin's jars in a class loader of its own and finds the services in them; {@link
 * io.millrace.core.plugin.ClassPath} finds those that the engine itself brings. Which services
 * there are, the packages that use them say.
 */
package io.millrace.core.plugin;
