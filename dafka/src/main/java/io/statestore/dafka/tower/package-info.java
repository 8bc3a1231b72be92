/**
 * The {@link io.statestore.dafka.tower.Tower}, through which nodes find each other.
 */
@NullMarked
package io.statestore.dafka.tower;

import org.jspecify.annotations.NullMarked;
