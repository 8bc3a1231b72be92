/**
 * Proxies for annotated methods: what the post-processors of several annotations share.
 */
@NullMarked
package io.statestore.client.proxy;

import org.jspecify.annotations.NullMarked;
