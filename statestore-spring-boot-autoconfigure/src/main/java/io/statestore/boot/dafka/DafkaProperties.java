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
 * @param towers Comma-separated list of the towers that nodes use to find each other,
 * each as host or host:in-port:out-port. The default ports are 5556 and 5557.
 * @param bindHost Address that this application's nodes listen on. By default, all
 * addresses, or 127.0.0.1 with an embedded tower.
 * @param advertisedHost Host that other nodes use to connect to this application's nodes.
 * By default, the address that the tower sees.
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
	 * @param keyFile File that contains this application's secret key, created by 'dafka
	 * keys'. Requires org.bouncycastle:bcprov-jdk18on on the class path. By default,
	 * connections are not encrypted.
	 * @param peersFile File that contains the names and public keys of all nodes in the
	 * network, created by 'dafka keys'. Reloaded when it changes. Required if the key
	 * file is set.
	 */
	public record Curve(@Nullable String keyFile, @Nullable String peersFile) {

	}

	/**
	 * Properties of the producer of this application.
	 *
	 * @param identityDirectory Directory where the producer keeps its address and
	 * counters, so that it continues its partitions after a restart. By default, the
	 * producer uses a new address after each start.
	 * @param acknowledge When a record counts as sent: after a store has acknowledged it
	 * ('store'), or immediately ('none').
	 */
	public record Producer(@Nullable String identityDirectory, @DefaultValue("store") Acknowledge acknowledge) {

	}

	/**
	 * Properties of the consumers behind listeners.
	 *
	 * @param offsetReset Where a listener starts reading a partition that has no saved
	 * offset.
	 * @param offsetsDirectory Directory where listeners save their offsets, one file per
	 * listener. Applications must not share a directory. By default, offsets are kept in
	 * memory.
	 * @param partitionDiscoveryInterval How often listeners ask the stores for new
	 * partitions.
	 */
	public record Consumer(@DefaultValue("latest") OffsetReset offsetReset, @Nullable String offsetsDirectory,
			@DefaultValue("10s") Duration partitionDiscoveryInterval) {

	}

	/**
	 * Properties of the store in this application.
	 *
	 * @param enabled Whether to start a store in this application. Enabled by default if
	 * the tower is embedded.
	 * @param directory Directory where the store keeps records. Requires
	 * org.rocksdb:rocksdbjni on the class path. By default, records are kept in memory.
	 * @param fsync When records are forced to disk: 'never', or before they are
	 * acknowledged, either each 'batch' together or each 'record' separately.
	 * @param retentionTime How long the store keeps records before it can remove them.
	 * Unlimited by default.
	 * @param retentionSize Maximum total size of the records. The oldest records are
	 * removed first. Unlimited by default.
	 */
	public record Store(@Nullable Boolean enabled, @Nullable String directory, @DefaultValue("never") Fsync fsync,
			@Nullable Duration retentionTime, @Nullable DataSize retentionSize) {

	}

	/**
	 * Properties of the tower embedded in this application, for development and tests.
	 *
	 * @param enabled Whether to start a tower and a store in this application and use
	 * them instead of dafka.towers.
	 */
	public record Embedded(boolean enabled) {

	}

}
