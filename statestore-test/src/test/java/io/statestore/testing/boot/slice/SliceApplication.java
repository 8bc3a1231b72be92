package io.statestore.testing.boot.slice;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Application whose components are scanned. */
@SpringBootApplication
class SliceApplication {

}
