package io.statestore.testing.boot.slice;

import org.springframework.stereotype.Component;

/** Component that inherits the annotated method. */
@Component
class InheritedListener extends SpeedListener {

}
