/** Programs of users, which the whole-process tests pack into jars of their own. */
package com.example;
