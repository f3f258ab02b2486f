/** Plugins for tests, compiled while they run so that no test's class path has their classes. */
package io.millrace.core.testplugin;
