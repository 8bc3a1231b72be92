package io.statestore.boot.dafka;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.boot.internal.PropertyChecks;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.producer.Acknowledge;
import io.statestore.dafka.store.Fsync;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/**
 * Properties of Dafka. Customizers such as {@link DafkaNodeBuilderCustomizer} set all
 * other options. Paths are strings, because Spring would search for a {@code Path} on the
 * class path first.
 *
 * @param towers Comma-separated list of the towers through which nodes find each other,
 * each as host or host:in-port:out-port. The ports are 5556 and 5557 by default.
 * @param bindHost Address that the nodes of this application listen on. By default all
 * addresses, or with an embedded tower 127.0.0.1.
 * @param advertisedHost Host that other nodes use to connect to the nodes of this
 * application. By default the address that the tower sees.
 * @param curve Properties of encryption and authentication with CURVE
 * @param producer Properties of the producer of this application
 * @param consumer Properties of the consumers behind listeners
 * @param store Properties of the store in this application
 * @param embedded Properties of the tower embedded in this application, for development
 * and tests
 */
@ConfigurationProperties("dafka")
record DafkaProperties(@DefaultValue("localhost") List<String> towers, @Nullable String bindHost,
		@Nullable String advertisedHost, @DefaultValue Curve curve, @DefaultValue Producer producer,
		@DefaultValue Consumer consumer, @DefaultValue Store store, @DefaultValue Embedded embedded) {

	private static final Pattern TOWER = Pattern.compile("(\\[[^]]+]|[^:\\s]+)(?::(\\d{1,5}):(\\d{1,5}))?");

	/**
	 * Returns the towers' addresses.
	 * @return the addresses, at least one
	 * @throws InvalidConfigurationPropertyValueException if there are none or an address
	 * is invalid
	 */
	List<TowerAddress> towerAddresses() {
		PropertyChecks.require(!this.towers.isEmpty(), "dafka.towers", "",
				"It must name at least one tower. For a tower in this application set dafka.embedded.enabled=true.");
		return this.towers.stream().map(DafkaProperties::parse).toList();
	}

	private static TowerAddress parse(String tower) {
		Matcher matcher = TOWER.matcher(tower);
		try {
			if (matcher.matches()) {
				return (matcher.group(2) == null) ? TowerAddress.of(matcher.group(1)) : new TowerAddress(
						matcher.group(1), Integer.parseInt(matcher.group(2)), Integer.parseInt(matcher.group(3)));
			}
		}
		catch (IllegalArgumentException ex) {
			// Reported below.
		}
		throw new InvalidConfigurationPropertyValueException("dafka.towers", tower,
				"Each must be host or host:in-port:out-port, such as tower.local:5556:5557.");
	}

	/**
	 * Properties of encryption and authentication with CURVE. The towers have the name
	 * 'tower' in the file of peers.
	 *
	 * @param keyFile File with the secret key of this application, created by 'dafka
	 * keys'. Requires org.bouncycastle:bcprov-jdk18on on the class path. By default,
	 * connections are not encrypted.
	 * @param peersFile File with the names and public keys of all nodes of the network,
	 * created by 'dafka keys'. Read again when it changes. Required if the key file is
	 * set.
	 */
	public record Curve(@Nullable String keyFile, @Nullable String peersFile) {

	}

	/**
	 * Properties of the producer of this application.
	 *
	 * @param identityDirectory Directory where the producer keeps its address and its
	 * counters, so that it continues its partitions after a restart. By default every
	 * start uses a new address.
	 * @param acknowledge Time at which a record counts as sent: when a store has
	 * acknowledged it ('store'), or at once ('none').
	 */
	public record Producer(@Nullable String identityDirectory, @DefaultValue("store") Acknowledge acknowledge) {

	}

	/**
	 * Properties of the consumers behind listeners.
	 *
	 * @param offsetReset Offset at which a listener begins to read a partition without a
	 * saved offset.
	 * @param offsetsDirectory Directory where listeners save their offsets, one file per
	 * listener. Must not be shared by applications. In memory by default.
	 * @param partitionDiscoveryInterval Interval at which listeners ask the stores for
	 * new partitions.
	 */
	public record Consumer(@DefaultValue("latest") OffsetReset offsetReset, @Nullable String offsetsDirectory,
			@DefaultValue("10s") Duration partitionDiscoveryInterval) {

	}

	/**
	 * Properties of the store in this application.
	 *
	 * @param enabled Whether to start a store in this application. Enabled by default
	 * with an embedded tower.
	 * @param directory Directory where the store keeps records. Requires
	 * org.rocksdb:rocksdbjni on the class path. In memory by default.
	 * @param fsync Time at which records are forced to disk: 'never', or before they are
	 * acknowledged, in a 'batch' or each 'record' by itself.
	 * @param retentionTime Minimum time that records are kept. Unlimited by default.
	 * @param retentionSize Maximum size of the records kept. The oldest records are
	 * removed first. Unlimited by default.
	 */
	public record Store(@Nullable Boolean enabled, @Nullable String directory, @DefaultValue("never") Fsync fsync,
			@Nullable Duration retentionTime, @Nullable DataSize retentionSize) {

	}

	/**
	 * Properties of the tower embedded in this application, for development and tests.
	 *
	 * @param enabled Whether to start a tower and a store in this application, and use
	 * them instead of dafka.towers.
	 */
	public record Embedded(boolean enabled) {

	}

}
