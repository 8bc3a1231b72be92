package io.statestore.sample.room;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The control room: its broker, its presses, and the page that shows them. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(RoomProperties.class)
@EnableScheduling
public class ControlRoomApplication {

}
