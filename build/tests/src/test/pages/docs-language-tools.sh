mkdir -p ~/src/shop ~/src/engine
