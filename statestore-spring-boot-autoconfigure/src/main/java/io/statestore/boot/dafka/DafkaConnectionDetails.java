package io.statestore.boot.dafka;

import java.util.List;

import io.statestore.dafka.TowerAddress;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Addresses of the towers. A bean of this type takes precedence over
 * {@code dafka.towers}.
 */
public interface DafkaConnectionDetails extends ConnectionDetails {

	/**
	 * Returns the towers through which nodes find each other.
	 * @return the tower addresses, at least one
	 */
	List<TowerAddress> getTowers();

}
