/**
 * Common base of the post-processors that create proxies for annotated methods.
 */
@NullMarked
package io.statestore.client.proxy;

import org.jspecify.annotations.NullMarked;
