package io.statestore.testing.boot.slice;

import org.springframework.stereotype.Component;

/** Component that inherits the method with the annotation. */
@Component
class InheritedListener extends SpeedListener {

}
