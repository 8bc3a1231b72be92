package io.statestore.boot.dafka;

import java.util.List;

import io.statestore.dafka.TowerAddress;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/** Where the towers are. A bean of this type takes the place of {@code dafka.towers}. */
public interface DafkaConnectionDetails extends ConnectionDetails {

	/** The towers through which nodes find each other, at least one. */
	List<TowerAddress> getTowers();

}
