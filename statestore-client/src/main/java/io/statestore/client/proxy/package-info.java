/**
 * Failures of annotated methods that are called through proxies.
 */
@NullMarked
package io.statestore.client.proxy;

import org.jspecify.annotations.NullMarked;
