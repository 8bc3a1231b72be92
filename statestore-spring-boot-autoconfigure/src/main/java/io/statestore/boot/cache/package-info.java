/** Auto-configuration for caches in the state store. */
@NullMarked
package io.statestore.boot.cache;

import org.jspecify.annotations.NullMarked;
