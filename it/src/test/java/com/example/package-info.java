/** User programs that the whole-process tests pack into jars. */
package com.example;
