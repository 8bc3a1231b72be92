package io.statestore.sample.broker;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.sample.press.EndWithRoom;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * A broker, with the properties of docs/cluster.md. An application that also uses the
 * store has {@code @SpringBootApplication} instead, and a client by itself.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@ImportAutoConfiguration({ SslAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class })
@Import(EndWithRoom.class)
public class BrokerApplication {

}
