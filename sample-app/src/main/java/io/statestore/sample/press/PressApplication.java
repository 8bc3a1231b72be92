package io.statestore.sample.press;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** A press. The starter provides its connection to the store: docs/spring-boot.md. */
@SpringBootApplication
@EnableScheduling
public class PressApplication {

}
