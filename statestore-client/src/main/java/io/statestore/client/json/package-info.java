/** Values as JSON, for applications that have Jackson on their class path. */
@NullMarked
package io.statestore.client.json;

import org.jspecify.annotations.NullMarked;
