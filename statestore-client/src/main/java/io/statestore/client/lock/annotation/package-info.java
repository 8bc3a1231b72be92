/** Methods that run under a lock, declared by an annotation. */
@NullMarked
package io.statestore.client.lock.annotation;

import org.jspecify.annotations.NullMarked;
