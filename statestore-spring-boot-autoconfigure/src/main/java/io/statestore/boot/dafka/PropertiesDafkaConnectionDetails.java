package io.statestore.boot.dafka;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.boot.internal.PropertyChecks;
import io.statestore.dafka.TowerAddress;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Connection details from {@link DafkaProperties}. */
class PropertiesDafkaConnectionDetails implements DafkaConnectionDetails {

	private static final Pattern TOWER = Pattern.compile("(\\[[^]]+]|[^:\\s]+)(?::(\\d{1,5}):(\\d{1,5}))?");

	private final List<TowerAddress> towers;

	PropertiesDafkaConnectionDetails(DafkaProperties properties) {
		PropertyChecks.require(!properties.towers().isEmpty(), "dafka.towers", "",
				"It must name at least one tower. For a tower in this application set dafka.embedded.enabled=true.");
		this.towers = properties.towers().stream().map(PropertiesDafkaConnectionDetails::parse).toList();
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
			// Reported below
		}
		throw new InvalidConfigurationPropertyValueException("dafka.towers", tower,
				"Each must be host or host:in-port:out-port, such as tower.local:5556:5557.");
	}

	@Override
	public List<TowerAddress> getTowers() {
		return this.towers;
	}

}
