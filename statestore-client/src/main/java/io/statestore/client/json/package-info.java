/** JSON conversion for applications with Jackson on the class path. */
@NullMarked
package io.statestore.client.json;

import org.jspecify.annotations.NullMarked;
