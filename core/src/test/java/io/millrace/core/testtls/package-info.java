/** Certificates for tests of all modules, made by {@link TestCertificate}. */
package io.millrace.core.testtls;
