package io.statestore.sample.broker;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.sample.press.EndWithRoom;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * A broker, configured with the properties in docs/cluster.md. An application that also
 * uses the store has {@code @SpringBootApplication} instead, which adds a client
 * automatically.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ SslAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class })
@Import(EndWithRoom.class)
public class BrokerApplication {

}
