package io.statestore.dafka.loss;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import io.statestore.test.FaultProxy;

/**
 * Arguments of a process in {@link DafkaLossTests}.
 *
 * @param role kind of node that the process runs
 * @param index number of the node among the nodes of its kind
 * @param life number of the node's process, from 0
 * @param directory directory with the files of all processes
 * @param towerIn port on which the tower receives beacons
 * @param towerOut port on which the tower sends beacons
 * @param port port to listen on, behind a {@link FaultProxy}; 0 for any port without a
 * proxy
 * @param highWaterMark high-water mark of all sockets
 * @param records number of records that a producer sends
 * @param rate number of records per second
 * @param keepsOffsets whether a consumer continues after a restart
 */
record LossSettings(Role role, int index, int life, Path directory, int towerIn, int towerOut, int port,
		int highWaterMark, int records, int rate, boolean keepsOffsets) {

	/** Address of the proxies. On Linux, all of 127.0.0.0/8 are local addresses. */
	static final String PROXY_HOST = "127.0.0.2";

	enum Role {

		TOWER, STORE, PRODUCER, CONSUMER

	}

	String name() {
		return this.role.name().toLowerCase(Locale.ROOT) + '-' + this.index;
	}

	/** Returns the file that exists once each kind of failure has occurred. */
	Path firstTroublesEnded() {
		return this.directory.resolve("first-troubles-ended");
	}

	/** Returns the settings of the process that replaces a killed one. */
	LossSettings next() {
		return new LossSettings(this.role, this.index, this.life + 1, this.directory, this.towerIn, this.towerOut,
				this.port, this.highWaterMark, this.records, this.rate, this.keepsOffsets);
	}

	/** Returns a producer's address, which is the name of its partition. */
	static String address(int producer) {
		return String.format("%032X", producer);
	}

	static int producerOf(String address) {
		return Integer.parseInt(address, 16);
	}

	List<String> arguments() {
		return List.of(this.role.name(), String.valueOf(this.index), String.valueOf(this.life),
				this.directory.toString(), String.valueOf(this.towerIn), String.valueOf(this.towerOut),
				String.valueOf(this.port), String.valueOf(this.highWaterMark), String.valueOf(this.records),
				String.valueOf(this.rate), String.valueOf(this.keepsOffsets));
	}

	static LossSettings parse(String... args) {
		return new LossSettings(Role.valueOf(args[0]), Integer.parseInt(args[1]), Integer.parseInt(args[2]),
				Path.of(args[3]), Integer.parseInt(args[4]), Integer.parseInt(args[5]), Integer.parseInt(args[6]),
				Integer.parseInt(args[7]), Integer.parseInt(args[8]), Integer.parseInt(args[9]),
				Boolean.parseBoolean(args[10]));
	}

}
