package io.statestore.boot;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the limits of the embedded broker.
 *
 * @param maxKeys Maximum number of keys in the embedded store. By default one for each
 * 2KB of the maximum heap.
 * @param maxSize Maximum size of all keys and values in the embedded store. By default a
 * quarter of the maximum heap.
 * @param clientMemory Maximum memory that the embedded broker uses for all clients
 * together. By default a quarter of the maximum heap.
 * @param memoryPerClient Maximum memory that the embedded broker uses for a single
 * client. By default a quarter of the memory of all clients.
 * @param replyMemory Maximum memory for replies that the embedded store keeps, so that a
 * repeated request is not executed again. By default a sixteenth of the maximum heap.
 * @param maxKeysPerUser Maximum number of keys in the embedded store that one user may
 * create. A key counts until it is deleted or has expired. Clients without a login are
 * exempt. By default three quarters of all keys.
 * @param maxConnectionsPerUser Maximum number of connections of one user to the embedded
 * broker. Clients without a login are exempt. By default 4096.
 * @param maxRequestsPerUser Maximum number of requests of one user that the embedded
 * broker has not answered. Further ones wait. Clients without a login are exempt. By
 * default 16384.
 * @param maxPacketSize Maximum size of an MQTT packet from a client of the embedded
 * broker. By default 16MB, or the memory of one client if that is less.
 * @param maxConnectSize Maximum size of a CONNECT packet from a client of the embedded
 * broker. By default 64KB.
 * @param maxPropertiesSize Maximum size of the properties of one MQTT packet from a
 * client of the embedded broker. By default 64KB.
 * @param maxConnectionsPerAddress Maximum number of connections to the embedded broker
 * from one address. By default 4096.
 * @param maxSessionExpiry Maximum time for which an MQTT session outlives its connection
 * to the embedded broker, such as '30d'. By default there is no maximum.
 */
@ConfigurationProperties("statestore.embedded")
public record EmbeddedLimitProperties(@Nullable Long maxKeys, @Nullable DataSize maxSize,
		@Nullable DataSize clientMemory, @Nullable DataSize memoryPerClient, @Nullable DataSize replyMemory,
		@Nullable Long maxKeysPerUser, @Nullable Long maxConnectionsPerUser, @Nullable Long maxRequestsPerUser,
		@Nullable DataSize maxPacketSize, @Nullable DataSize maxConnectSize, @Nullable DataSize maxPropertiesSize,
		@Nullable Integer maxConnectionsPerAddress, @Nullable Duration maxSessionExpiry) {

}
