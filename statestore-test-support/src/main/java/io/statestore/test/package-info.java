/** Fixtures shared by the tests of all modules. */
@NullMarked
package io.statestore.test;

import org.jspecify.annotations.NullMarked;
