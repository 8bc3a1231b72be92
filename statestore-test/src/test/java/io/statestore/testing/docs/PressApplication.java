package io.statestore.testing.docs;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** Application of the tests on the page. */
@SpringBootConfiguration
@EnableAutoConfiguration
class PressApplication {

}
