package io.statestore.sample;

import java.io.File;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import oshi.SystemInfo;
import oshi.hardware.CentralProcessor;
import oshi.hardware.GlobalMemory;

import org.springframework.stereotype.Component;

/** Measures CPU, memory, and disk of this machine. */
@Component
class MachineSensor {

	private final CentralProcessor processor;

	private final GlobalMemory memory;

	private final File disk = new File(".").getAbsoluteFile();

	private long[] ticks;

	MachineSensor() {
		SystemInfo system = new SystemInfo();
		this.processor = system.getHardware().getProcessor();
		this.memory = system.getHardware().getMemory();
		this.ticks = this.processor.getSystemCpuLoadTicks();
	}

	/**
	 * Returns the CPU load since the last call, and the current use of memory and disk.
	 */
	Map<String, Reading> read() {
		Instant now = Instant.now();
		double cpu = this.processor.getSystemCpuLoadBetweenTicks(this.ticks) * 100;
		this.ticks = this.processor.getSystemCpuLoadTicks();
		Map<String, Reading> readings = new LinkedHashMap<>();
		readings.put("cpu", new Reading(round(cpu), now));
		readings.put("memory", new Reading(used(this.memory.getTotal(), this.memory.getAvailable()), now));
		readings.put("disk", new Reading(used(this.disk.getTotalSpace(), this.disk.getUsableSpace()), now));
		return readings;
	}

	private static double used(long total, long available) {
		return (total == 0) ? 0 : round(100.0 * (total - available) / total);
	}

	private static double round(double percent) {
		return Math.round(percent * 10) / 10.0;
	}

}
