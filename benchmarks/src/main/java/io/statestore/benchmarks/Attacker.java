package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import javax.net.ssl.SSLContext;

/**
 * Program that attacks a broker. The arguments are the name of the {@link Attack}, a
 * port, the directory of the {@link PlantKeys}, and the maximum number of attempts per
 * second. Each byte of its input switches the attack on or off. The end of the input ends
 * the program.
 */
final class Attacker {

	private static final int THREADS = 64;

	private static volatile boolean active;

	private Attacker() {
	}

	public static void main(String[] args) throws IOException {
		Attack attack = Attack.valueOf(args[0]);
		int port = Integer.parseInt(args[1]);
		SSLContext context = new PlantKeys(Path.of(args[2])).context(attack.certificate());
		long pause = TimeUnit.SECONDS.toNanos(THREADS) / Integer.parseInt(args[3]);
		AtomicLong attempts = new AtomicLong();
		for (int i = 0; i < THREADS; i++) {
			Thread thread = new Thread(() -> attack(attack, port, context, pause, attempts));
			thread.setDaemon(true);
			thread.start();
		}
		while (System.in.read() >= 0) {
			active = !active;
			System.out.println(attempts);
		}
	}

	private static void attack(Attack attack, int port, SSLContext context, long pause, AtomicLong attempts) {
		while (true) {
			try {
				if (active) {
					attack.attempt(port, context, attempts.incrementAndGet());
				}
			}
			catch (IOException ex) {
				// The server refused it.
			}
			catch (InterruptedException ex) {
				return;
			}
			LockSupport.parkNanos(pause);
		}
	}

}
