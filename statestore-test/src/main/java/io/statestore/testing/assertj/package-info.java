/**
 * AssertJ assertions on the content, locks, leaders, and changes of a state store.
 */
@NullMarked
package io.statestore.testing.assertj;

import org.jspecify.annotations.NullMarked;
