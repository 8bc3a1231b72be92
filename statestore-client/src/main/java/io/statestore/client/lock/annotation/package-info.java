/** Annotation for methods that run under a lock. */
@NullMarked
package io.statestore.client.lock.annotation;

import org.jspecify.annotations.NullMarked;
