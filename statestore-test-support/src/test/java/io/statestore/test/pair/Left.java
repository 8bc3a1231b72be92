package io.statestore.test.pair;

import io.statestore.test.cycle.First;

/** In a cycle only with {@link Right}. */
public class Left {

	First first = new First();

	Right right() {
		return new Right(this);
	}

}
