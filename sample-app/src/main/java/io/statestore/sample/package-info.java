/**
 * The application a newcomer runs first: it measures the machine it runs on, keeps the
 * readings in a state store, and shows what all machines have written there.
 */
@NullMarked
package io.statestore.sample;

import org.jspecify.annotations.NullMarked;
