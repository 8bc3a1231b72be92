package io.statestore.sample;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

import io.statestore.client.Entry;
import io.statestore.client.StateStoreException;
import io.statestore.client.leader.StateStoreLeaderInitiator;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * HTTP interface of the sample. {@code curl localhost:8080} shows the current state, and
 * {@code curl -X PUT -H 'Content-Type: application/json' -d 50 localhost:8080/set-point}
 * changes the set point.
 */
@RestController
class MachineController {

	private final MachineStore store;

	private final SetPoint setPoint;

	private final StateStoreLeaderInitiator election;

	MachineController(MachineStore store, SetPoint setPoint, StateStoreLeaderInitiator election) {
		this.store = store;
		this.setPoint = setPoint;
		this.election = election;
	}

	@GetMapping("/")
	State state() {
		Map<String, Map<String, Sensor>> machines = new TreeMap<>();
		this.store.readings().forEach((machine, readings) -> {
			Map<String, Sensor> sensors = machines.computeIfAbsent(machine, (name) -> new TreeMap<>());
			readings.forEach((sensor, entry) -> sensors.put(sensor, Sensor.of(entry)));
		});
		return new State(this.setPoint.percent(), this.election.isLeader(), machines);
	}

	@PutMapping("/set-point")
	@ResponseStatus(HttpStatus.NO_CONTENT)
	void changeSetPoint(@RequestBody double percent) {
		this.store.changeSetPoint(percent);
	}

	@ExceptionHandler
	ProblemDetail unavailable(StateStoreException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, ex.getMessage());
	}

	/**
	 * Current state, returned as JSON.
	 *
	 * @param setPoint CPU load in percent above which a machine counts as hot,
	 * {@code null} if none is set
	 * @param leader whether this machine is the leader
	 * @param machines readings by machine and sensor
	 */
	record State(@Nullable Double setPoint, boolean leader, Map<String, Map<String, Sensor>> machines) {
	}

	/**
	 * A reading with its version.
	 *
	 * @param percent utilization in percent, 0 to 100
	 * @param at time of the measurement
	 * @param version version that the store assigned to the reading
	 */
	record Sensor(double percent, Instant at, String version) {

		static Sensor of(Entry<Reading> entry) {
			return new Sensor(entry.value().percent(), entry.value().at(), entry.version().toString());
		}

	}

}
