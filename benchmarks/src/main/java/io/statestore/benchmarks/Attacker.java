package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Program that attacks a broker. The arguments are the name of the {@link Attack}, a
 * port, and the directory of the {@link PlantKeys}. Each byte of its input switches the
 * attack on or off. The end of the input ends the program.
 */
final class Attacker {

	private static final int THREADS = 8;

	private static final long PAUSE_NANOS = 1_000_000;

	private static volatile boolean active;

	private Attacker() {
	}

	public static void main(String[] args) throws IOException {
		Attack attack = Attack.valueOf(args[0]);
		int port = Integer.parseInt(args[1]);
		PlantKeys keys = new PlantKeys(Path.of(args[2]));
		AtomicLong attempts = new AtomicLong();
		for (int i = 0; i < THREADS; i++) {
			Thread thread = new Thread(() -> attack(attack, port, keys, attempts));
			thread.setDaemon(true);
			thread.start();
		}
		while (System.in.read() >= 0) {
			active = !active;
			System.out.println(attempts);
		}
	}

	private static void attack(Attack attack, int port, PlantKeys keys, AtomicLong attempts) {
		while (true) {
			if (!active) {
				LockSupport.parkNanos(PAUSE_NANOS);
				continue;
			}
			try {
				attack.attempt(port, keys, attempts.incrementAndGet());
			}
			catch (IOException ex) {
				// The server refused it.
			}
			catch (InterruptedException ex) {
				return;
			}
		}
	}

}
